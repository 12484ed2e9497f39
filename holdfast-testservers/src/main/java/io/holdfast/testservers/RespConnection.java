package io.holdfast.testservers;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The Redis protocol, version 2, over one socket. A command goes out as an array of bulk strings. A
 * reply comes back as a String (UTF-8), a Long, a List of replies, or null; an error is thrown, or
 * is an element if it stands inside a list. Not safe for use by several threads, except that one
 * may close what another reads.
 */
final class RespConnection implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  RespConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = new BufferedOutputStream(socket.getOutputStream());
  }

  @Nullable Object call(String... command) throws IOException {
    send(command);
    return receive();
  }

  void send(String... command) throws IOException {
    out.write(ascii("*" + command.length + "\r\n"));
    for (String word : command) {
      byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
      out.write(ascii("$" + bytes.length + "\r\n"));
      out.write(bytes);
      out.write(ascii("\r\n"));
    }
    out.flush();
  }

  @Nullable Object receive() throws IOException {
    Object reply = read();
    if (reply instanceof RespException error) {
      throw error;
    }
    return reply;
  }

  /** How long to wait for a reply; zero means without limit. */
  void setTimeout(int millis) throws IOException {
    socket.setSoTimeout(millis);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private @Nullable Object read() throws IOException {
    String line = readLine();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> new RespException(rest);
      case ':' -> Long.valueOf(rest);
      case '$' -> readBulk(Integer.parseInt(rest));
      case '*' -> readArray(Integer.parseInt(rest));
      default -> throw new IOException("not a RESP2 reply: " + line);
    };
  }

  private @Nullable String readBulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length || in.readNBytes(2).length < 2) {
      throw ended();
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private @Nullable List<@Nullable Object> readArray(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    List<@Nullable Object> elements = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      elements.add(read());
    }
    return Collections.unmodifiableList(elements);
  }

  private String readLine() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw ended();
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    if (line.size() == 0) {
      throw new IOException("empty line instead of a reply");
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private static EOFException ended() {
    return new EOFException("the server closed the connection");
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
