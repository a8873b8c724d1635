import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.json.JSONArray;
import org.json.JSONObject;

/** Does the tasks of `plantstore grade client` with one of Java's HTTP clients: Adapter CLIENT. */
public final class Adapter {
  /** The body is null if there is none. */
  record Request(String method, URI uri, Map<String, String> headers, String body) {}

  /** The link is null if there is none. */
  record Response(int status, String link, String body) {}

  /** Sends a request and reads the whole response. */
  interface Client {
    Response send(Request request) throws Exception;
  }

  private static final Pattern NEXT = Pattern.compile("<([^>]*)>; rel=\"next\"");

  /** A connection can be used again only when it is idle. */
  private static final int IDLE_MS = 20;

  public static void main(String[] args) throws IOException, InterruptedException {
    Duration timeout = Duration.ofMillis(Long.parseLong(System.getenv("PLANTSTORE_TIMEOUT_MS")));
    Client client = Clients.open(args[0], timeout);
    for (String line : Files.readAllLines(Path.of(System.getenv("PLANTSTORE_TASKS")))) {
      JSONObject task = new JSONObject(line);
      JSONObject report;
      try {
        report = perform(client, task);
      } catch (Exception error) {
        report = new JSONObject().put("error", error.toString());
      }
      report.put("task", task.getInt("task"));
      Path path = Path.of(System.getenv("PLANTSTORE_REPORT"));
      Files.writeString(path, report + "\n", StandardOpenOption.APPEND);
      Thread.sleep(IDLE_MS);
    }
    // Threads of a client may still run.
    System.exit(0);
  }

  private static JSONObject perform(Client client, JSONObject task) throws Exception {
    Map<String, String> headers = new TreeMap<>();
    task.getJSONObject("headers").toMap().forEach((name, value) -> headers.put(name, value.toString()));
    URI uri = URI.create(task.getString("url"));
    Request request = new Request(task.getString("method"), uri, headers, task.optString("body", null));
    if (task.getString("kind").equals("list")) return list(client, request);
    Response response = client.send(request);
    return new JSONObject().put("status", response.status()).put("body", response.body());
  }

  /** Reads all pages. */
  private static JSONObject list(Client client, Request request) throws Exception {
    JSONArray plants = new JSONArray();
    for (URI uri = request.uri(); uri != null; ) {
      Response response = client.send(new Request(request.method(), uri, request.headers(), null));
      if (response.status() != 200) return new JSONObject().put("status", response.status());
      for (Object one : new JSONArray(response.body())) {
        JSONObject plant = (JSONObject) one;
        plants.put(plant.put("id", plant.get("id").toString()));
      }
      Matcher next = NEXT.matcher(response.link() == null ? "" : response.link());
      uri = next.find() ? uri.resolve(next.group(1)) : null;
    }
    return new JSONObject().put("status", 200).put("plants", plants);
  }
}
