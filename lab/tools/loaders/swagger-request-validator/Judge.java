import com.atlassian.oai.validator.OpenApiInteractionValidator;
import com.atlassian.oai.validator.model.Request.Method;
import com.atlassian.oai.validator.model.SimpleRequest;
import com.atlassian.oai.validator.model.SimpleResponse;
import com.atlassian.oai.validator.report.LevelResolver;
import com.atlassian.oai.validator.report.ValidationReport.Level;
import com.atlassian.oai.validator.report.SimpleValidationReportFormat;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;

/** Validates recorded exchanges against the description: Judge.java DESCRIPTION EXCHANGES. */
class Judge {
  public static void main(String[] args) throws Exception {
    var validator = OpenApiInteractionValidator.createFor(args[0])
        .withLevelResolver(LevelResolver.create()
            .withLevel("validation.request.body.schema.additionalProperties", Level.IGNORE).build())
        .build();
    JsonNode exchanges = args.length < 2 ? null : new ObjectMapper().readTree(Path.of(args[1]).toFile());
    int wrong = 0;
    for (JsonNode each : exchanges == null ? java.util.List.<JsonNode>of() : exchanges) {
      String path = each.get("path").asText();
      var request = new SimpleRequest.Builder(Method.valueOf(each.get("method").asText()), path.split("\\?")[0]);
      if (path.contains("?")) {
        for (String pair : path.split("\\?")[1].split("&")) request.withQueryParam(pair.split("=")[0], pair.split("=")[1]);
      }
      each.get("requestHeaders").properties().forEach(field -> request.withHeader(field.getKey(), field.getValue().asText()));
      if (!each.get("requestBody").asText().isEmpty()) request.withBody(each.get("requestBody").asText());
      var response = new SimpleResponse.Builder(each.get("status").asInt());
      each.get("headers").properties().forEach(field -> response.withHeader(field.getKey(), field.getValue().asText()));
      if (!each.get("body").asText().isEmpty()) response.withBody(each.get("body").asText());
      var built = request.build();
      var ofRequest = validator.validateRequest(built);
      var ofResponse = validator.validateResponse(built.getPath(), built.getMethod(), response.build());
      if (ofRequest.hasErrors() != each.get("isValid").asBoolean() && !ofResponse.hasErrors()) continue;
      wrong++;
      System.out.println(each.get("method") + " " + path + " -> " + each.get("status") + ", valid: " + each.get("isValid"));
      System.out.println(SimpleValidationReportFormat.getInstance().apply(ofRequest.merge(ofResponse)));
    }
    if (wrong > 0) System.exit(1);
    System.out.println(exchanges == null ? "read" : exchanges.size() + " exchanges agree");
  }
}
