package io.holdfast.testservers;

/**
 * An error reply of a Redis server.
 *
 * <pre>{@code
 * assertThatThrownBy(() -> client.call("EVALSHA", digest, "0"))
 *     .isInstanceOfSatisfying(RespException.class, e -> assertThat(e.code()).isEqualTo("NOSCRIPT"));
 * }</pre>
 */
public final class RespException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RespException(String message) {
    super(message);
  }

  /** The first word of the error, for instance {@code NOSCRIPT} or {@code WRONGTYPE}. */
  public String code() {
    String message = String.valueOf(getMessage());
    int space = message.indexOf(' ');
    return space < 0 ? message : message.substring(0, space);
  }
}
