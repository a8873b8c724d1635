import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/** Receives webhooks with the official library. It stores each message once. */
public class Receiver {
  private static final int MAX_BYTES = 1_048_576;
  private static final Path REPORT = Path.of(System.getenv("PLANTSTORE_REPORT"));
  private static final Webhook WEBHOOK = new Webhook(System.getenv("PLANTSTORE_SECRET"));
  private static final Set<String> STORED = new HashSet<>();

  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(System.getenv("PLANTSTORE_PORT"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", exchange -> {
      exchange.sendResponseHeaders(receive(exchange), -1);
      exchange.close();
    });
    server.start();
  }

  private static int receive(HttpExchange exchange) throws IOException {
    byte[] bytes = exchange.getRequestBody().readNBytes(MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) return 413;
    String body = new String(bytes, StandardCharsets.UTF_8);
    try {
      WEBHOOK.verify(body, exchange.getRequestHeaders());
    } catch (WebhookVerificationException error) {
      return 401;
    }
    if (STORED.add(exchange.getRequestHeaders().getFirst("webhook-id"))) {
      Files.writeString(REPORT, body + "\n", StandardOpenOption.APPEND);
    }
    return 204;
  }
}
