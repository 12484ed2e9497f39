package io.holdfast.memory;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import io.holdfast.spi.TimeSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@code memory:} and {@code memory:name}. Managers of one process that use the same name
 * share one store.
 *
 * <pre>{@code
 * LockManager manager = LockManager.create("memory:orders");
 * LockManager.builder("memory:").engine(new MemoryBackendProvider(store)).build();
 * }</pre>
 */
public final class MemoryBackendProvider implements LockBackendProvider {
  private static final String SCHEME = "memory:";
  private static final Map<String, MemoryStore> STORES = new ConcurrentHashMap<>();

  private final @Nullable MemoryStore given;

  /** Finds stores by the name in the URL. */
  public MemoryBackendProvider() {
    this.given = null;
  }

  /** Always uses this store, whatever the URL. */
  public MemoryBackendProvider(MemoryStore store) {
    this.given = store;
  }

  @Override
  public boolean accepts(String url) {
    return url.startsWith(SCHEME);
  }

  @Override
  public String urlForms() {
    return "memory: and memory:name";
  }

  @Override
  public LockBackend open(String url, BackendContext context) {
    int options = url.indexOf('?');
    if (given == null && options >= 0) {
      throw new IllegalArgumentException(
          "the URL %s cannot be used: a store in memory has no options; URLs look like %s"
              .formatted(url.substring(0, options), urlForms()));
    }
    MemoryStore store =
        given != null
            ? given
            : STORES.computeIfAbsent(url, name -> new MemoryStore(TimeSource.system()));
    return new MemoryBackend(store, context);
  }
}
