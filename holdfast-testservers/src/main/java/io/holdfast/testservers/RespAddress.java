package io.holdfast.testservers;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Where a Redis server is and how to log in to it, from a URL of the form {@code
 * redis[s]://[[user]:password@]host[:port][/database]}. The name of the server is verified with
 * TLS.
 *
 * @param tls what to trust; null for a plain connection
 * @param greeting commands to send before anything else: AUTH and SELECT if needed
 */
record RespAddress(String host, int port, @Nullable SSLContext tls, List<String[]> greeting) {
  static final int DEFAULT_PORT = 6379;

  RespAddress(String host, int port) {
    this(host, port, null, List.of());
  }

  static RespAddress parse(String url, SSLContext trust) {
    URI uri = URI.create(url);
    boolean tls = "rediss".equals(uri.getScheme());
    if (uri.getHost() == null || !(tls || "redis".equals(uri.getScheme()))) {
      throw new IllegalArgumentException("not a redis:// or rediss:// URL with a host: " + url);
    }
    List<String[]> greeting = new ArrayList<>();
    String login = uri.getUserInfo();
    if (login != null) {
      int colon = login.indexOf(':');
      String user = login.substring(0, Math.max(colon, 0));
      String password = login.substring(colon + 1);
      greeting.add(
          user.isEmpty() ? new String[] {"AUTH", password} : new String[] {"AUTH", user, password});
    }
    String database = uri.getPath() == null ? "" : uri.getPath().replace("/", "");
    if (!database.isEmpty()) {
      greeting.add(new String[] {"SELECT", database});
    }
    int port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
    return new RespAddress(uri.getHost(), port, tls ? trust : null, List.copyOf(greeting));
  }

  /** Connects and logs in; the limit holds for connecting and for each reply. */
  RespConnection open(Duration limit) throws IOException {
    int millis = Math.toIntExact(limit.toMillis());
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(host, port), millis);
      socket.setSoTimeout(millis);
      socket.setTcpNoDelay(true);
      if (tls != null) {
        socket = secure(socket, tls);
      }
      RespConnection connection = new RespConnection(socket);
      for (String[] command : greeting) {
        connection.call(command);
      }
      return connection;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private Socket secure(Socket plain, SSLContext trust) throws IOException {
    SSLSocket socket = (SSLSocket) trust.getSocketFactory().createSocket(plain, host, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }
}
