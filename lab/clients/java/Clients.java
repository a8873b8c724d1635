import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import okhttp3.Headers;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.io.support.ClassicRequestBuilder;
import org.apache.hc.core5.util.Timeout;

/** The HTTP clients, each by its name. */
final class Clients {
  static Adapter.Client open(String name, Duration timeout) {
    return switch (name) {
      case "http-url-connection" -> request -> sendByUrlConnection(request, (int) timeout.toMillis());
      case "jdk-http-client" -> openJdk(timeout);
      case "okhttp" -> openOkHttp(timeout);
      case "apache-http-client" -> openApache(Timeout.of(timeout));
      case "resilience4j" -> openResilience4j(timeout);
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static Adapter.Response sendByUrlConnection(Adapter.Request request, int timeout) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) request.uri().toURL().openConnection();
    connection.setConnectTimeout(timeout);
    connection.setReadTimeout(timeout);
    connection.setRequestMethod(request.method());
    request.headers().forEach(connection::setRequestProperty);
    if (request.body() != null) {
      connection.setDoOutput(true);
      connection.getOutputStream().write(request.body().getBytes(StandardCharsets.UTF_8));
    }
    int status = connection.getResponseCode();
    try (InputStream stream = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      String body = stream == null ? "" : new String(stream.readAllBytes(), StandardCharsets.UTF_8);
      return new Adapter.Response(status, connection.getHeaderField("Link"), body);
    }
  }

  private static Adapter.Client openJdk(Duration timeout) {
    HttpClient client = HttpClient.newBuilder().connectTimeout(timeout).build();
    return request -> {
      HttpRequest.BodyPublisher body =
          request.body() == null
              ? HttpRequest.BodyPublishers.noBody()
              : HttpRequest.BodyPublishers.ofString(request.body());
      HttpRequest.Builder builder =
          HttpRequest.newBuilder(request.uri()).timeout(timeout).method(request.method(), body);
      request.headers().forEach(builder::header);
      HttpResponse<String> response = client.send(builder.build(), HttpResponse.BodyHandlers.ofString());
      String link = response.headers().firstValue("Link").orElse(null);
      return new Adapter.Response(response.statusCode(), link, response.body());
    };
  }

  private static Adapter.Client openResilience4j(Duration timeout) {
    Adapter.Client client = openJdk(timeout);
    RetryConfig config =
        RetryConfig.<Adapter.Response>custom()
            .maxAttempts(3)
            .waitDuration(Duration.ofMillis(500))
            .retryOnResult(response -> response.status() >= 500)
            .retryExceptions(IOException.class)
            .build();
    Retry retry = Retry.of("plants", config);
    return request -> Retry.decorateCheckedSupplier(retry, () -> client.send(request)).unchecked().get();
  }

  private static Adapter.Client openOkHttp(Duration timeout) {
    OkHttpClient client =
        new OkHttpClient.Builder().connectTimeout(timeout).readTimeout(timeout).writeTimeout(timeout).build();
    return request -> {
      RequestBody body =
          request.body() == null ? null : RequestBody.create(request.body().getBytes(StandardCharsets.UTF_8));
      okhttp3.Request call =
          new okhttp3.Request.Builder()
              .url(request.uri().toURL())
              .headers(Headers.of(request.headers()))
              .method(request.method(), body)
              .build();
      try (okhttp3.Response response = client.newCall(call).execute()) {
        return new Adapter.Response(response.code(), response.header("Link"), response.body().string());
      }
    };
  }

  private static Adapter.Client openApache(Timeout timeout) {
    ConnectionConfig connection =
        ConnectionConfig.custom().setConnectTimeout(timeout).setSocketTimeout(timeout).build();
    var client =
        HttpClients.custom()
            .setConnectionManager(
                PoolingHttpClientConnectionManagerBuilder.create().setDefaultConnectionConfig(connection).build())
            .setDefaultRequestConfig(RequestConfig.custom().setResponseTimeout(timeout).build())
            .build();
    return request -> {
      ClassicRequestBuilder builder =
          ClassicRequestBuilder.create(request.method()).setUri(request.uri()).setCharset(StandardCharsets.UTF_8);
      request.headers().forEach(builder::addHeader);
      if (request.body() != null) builder.setEntity(request.body(), ContentType.APPLICATION_JSON);
      ClassicHttpRequest call = builder.build();
      return client.execute(
          call,
          response -> {
            HttpEntity entity = response.getEntity();
            Header link = response.getFirstHeader("Link");
            return new Adapter.Response(
                response.getCode(),
                link == null ? null : link.getValue(),
                entity == null ? "" : EntityUtils.toString(entity, StandardCharsets.UTF_8));
          });
    };
  }
}
