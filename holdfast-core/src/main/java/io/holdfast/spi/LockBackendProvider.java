package io.holdfast.spi;

/**
 * Opens engines by URL; found with {@link java.util.ServiceLoader}.
 *
 * <p>An engine of your own: implement this and {@link LockBackend}, and name the class in {@code
 * META-INF/services/io.holdfast.spi.LockBackendProvider}.
 */
public interface LockBackendProvider {
  /** True for URLs of this engine. Looks at the text only. */
  boolean accepts(String url);

  /** The URL forms this engine takes, for the message that says a URL is not understood. */
  String urlForms();

  /**
   * Connects. Blocks until the store has answered once.
   *
   * @throws BackendException when the store cannot be used, or {@linkplain
   *     BackendException#unavailable cannot be reached}
   * @throws IllegalArgumentException when the URL is malformed
   */
  LockBackend open(String url, BackendContext context);
}
