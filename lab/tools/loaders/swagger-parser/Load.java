import io.swagger.v3.parser.OpenAPIV3Parser;
import io.swagger.v3.parser.core.models.ParseOptions;

/** Parses each given description, resolves its references, and exits with 1 if there is any message. */
class Load {
  public static void main(String[] files) {
    var options = new ParseOptions();
    options.setResolve(true);
    options.setResolveFully(true);
    for (String file : files) {
      var result = new OpenAPIV3Parser().readLocation(file, null, options);
      var operations = result.getOpenAPI() == null ? 0
          : result.getOpenAPI().getPaths().values().stream().mapToInt(path -> path.readOperations().size()).sum();
      System.out.println(file + ": " + operations + " operations, " + result.getMessages());
      if (operations != 5 || !result.getMessages().isEmpty()) System.exit(1);
    }
  }
}
