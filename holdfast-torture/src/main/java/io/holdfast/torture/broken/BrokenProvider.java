package io.holdfast.torture.broken;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;

/** Opens a real engine and breaks it. */
record BrokenProvider(BrokenEngine broken, LockBackendProvider real)
    implements LockBackendProvider {
  @Override
  public boolean accepts(String url) {
    return real.accepts(url);
  }

  @Override
  public String urlForms() {
    return real.urlForms();
  }

  @Override
  public LockBackend open(String url, BackendContext context) {
    BackendContext changed =
        new BackendContext(
            context.identity(),
            broken.signals(context.signals()),
            context.time(),
            context.scheduler());
    return broken.of(real.open(url, changed));
  }
}
