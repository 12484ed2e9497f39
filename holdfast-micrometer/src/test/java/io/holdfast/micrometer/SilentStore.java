package io.holdfast.micrometer;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/** The memory engine, of which some methods can be made to fail. */
final class SilentStore implements LockBackendProvider {
  private final MemoryBackendProvider memory = new MemoryBackendProvider();
  private volatile Set<String> deafTo = Set.of();

  /** From now on exactly these methods fail. */
  void ignore(String... methods) {
    deafTo = Set.of(methods);
  }

  @Override
  public boolean accepts(String url) {
    return memory.accepts(url);
  }

  @Override
  public String urlForms() {
    return memory.urlForms();
  }

  @Override
  public LockBackend open(String url, BackendContext context) {
    LockBackend real = memory.open(url, context);
    return (LockBackend)
        Proxy.newProxyInstance(
            LockBackend.class.getClassLoader(),
            new Class<?>[] {LockBackend.class},
            (proxy, method, arguments) ->
                deafTo.contains(method.getName())
                    ? CompletableFuture.failedFuture(new TimeoutException("on purpose"))
                    : method.invoke(real, arguments));
  }
}
