package com.example.files;

import io.holdfast.spi.BackendContext;
import io.holdfast.spi.BackendException;
import io.holdfast.spi.LockBackend;
import io.holdfast.spi.LockBackendProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens {@code files:/path/of/a/folder}. Named in {@code META-INF/services}. */
public final class FileEngine implements LockBackendProvider {
  private static final String SCHEME = "files:";

  @Override
  public boolean accepts(String url) {
    return url.startsWith(SCHEME);
  }

  @Override
  public String urlForms() {
    return "files:/path/of/a/folder";
  }

  @Override
  public LockBackend open(String url, BackendContext context) {
    Path folder = Path.of(url.substring(SCHEME.length()));
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new BackendException("the folder " + folder + " cannot be made", e);
    }
    return new FileBackend(new StateFiles(folder), context);
  }
}
