import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.PlantsApi;
import org.openapitools.client.model.Error;
import org.openapitools.client.model.NewPlant;
import org.openapitools.client.model.Plant;
import org.openapitools.client.model.StoredPlant;

/** The walk that every client does. The address comes from the description. */
final class Walk {
    private static final long GREATEST = Long.MAX_VALUE;
    private static final Pattern CURSOR = Pattern.compile("[?&]after=([^&>]+)[^>]*>; *rel=\"next\"");

    private interface Request {
        Object send() throws ApiException;
    }

    public static void main(String[] arguments) throws Exception {
        ApiClient client = new ApiClient();
        client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("TOKEN")));
        PlantsApi plants = new PlantsApi(client);
        PlantsApi stranger = new PlantsApi(new ApiClient());

        NewPlant aloe = new NewPlant().id(GREATEST).name("Aloe vera");
        for (String each : List.of("the create", "its replay")) {
            ApiResponse<Plant> created = plants.createPlantWithHttpInfo(aloe);
            see(created.getStatusCode() == 200, each);
            see(created.getData().equals(new Plant().name("Aloe vera")), created.getData());
            see(header(created, "Location").endsWith("/plants/" + GREATEST), created.getHeaders());
        }
        refuses(400, 40009, () -> plants.createPlant(new NewPlant().id(GREATEST).name("Ficus")));

        ApiResponse<StoredPlant> read = plants.getPlantWithHttpInfo(GREATEST, null);
        see(read.getData().equals(new StoredPlant().id(GREATEST).name("Aloe vera")), read.getData());
        String etag = header(read, "ETag");

        for (long id = 1; id <= 250; id++) plants.createPlant(new NewPlant().id(id).name("Fern").tag("walk"));
        List<Long> ids = new ArrayList<>();
        String after = null;
        do {
            ApiResponse<List<StoredPlant>> page = plants.listPlantsWithHttpInfo(100, "walk", after);
            page.getData().forEach(plant -> ids.add(plant.getId()));
            var cursor = CURSOR.matcher(header(page, "Link"));
            after = cursor.find() ? cursor.group(1) : null;
        } while (after != null);
        see(ids.equals(LongStream.rangeClosed(1, 250).boxed().toList()), ids);

        Plant renamed = new Plant().name("Aloe barbadensis");
        ApiResponse<StoredPlant> replaced = plants.replacePlantWithHttpInfo(GREATEST, renamed, etag, null);
        see(replaced.getData().equals(new StoredPlant().id(GREATEST).name("Aloe barbadensis")), replaced.getData());
        refuses(412, 41200, () -> plants.replacePlant(GREATEST, renamed, etag, null));
        try {
            plants.getPlant(GREATEST, header(replaced, "ETag"));
            throw new AssertionError("a plant that had not changed came again");
        } catch (ApiException notModified) {
            see(notModified.getCode() == 304, notModified);
        }

        see(plants.deletePlantWithHttpInfo(GREATEST, null, null).getStatusCode() == 204, "the deletion");
        refuses(404, 40401, () -> plants.getPlant(GREATEST, null));
        refuses(401, 40100, () -> stranger.getPlant(GREATEST, null));
        refuses(400, 40005, () -> plants.createPlant(new NewPlant().id(0L).name("x".repeat(1025))));
    }

    private static void refuses(int status, int error, Request request) throws Exception {
        try {
            request.send();
        } catch (ApiException refused) {
            see(refused.getCode() == status, refused);
            Error body = ApiClient.createDefaultObjectMapper().readValue(refused.getResponseBody(), Error.class);
            see(body.getError() == error, body);
            return;
        }
        throw new AssertionError("not refused with " + error);
    }

    private static String header(ApiResponse<?> response, String name) {
        return response.getHeaders().entrySet().stream()
                .filter(header -> header.getKey().equalsIgnoreCase(name))
                .map(header -> header.getValue().get(0))
                .findFirst()
                .orElse("");
    }

    private static void see(boolean isSo, Object what) {
        if (!isSo) throw new AssertionError(what);
    }
}
