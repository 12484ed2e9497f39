package io.holdfast.redis;

import io.holdfast.spi.LockBackendProvider;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;

/**
 * Loads the module, Lettuce and Netty anew, except for one class that cannot be loaded. The test
 * shares core and all other classes.
 */
final class BrokenClassPath extends URLClassLoader {
  private static final List<String> OWN =
      List.of("io.holdfast.redis.", "io.lettuce.", "io.netty.", "reactor.", "org.reactivestreams.");

  private final String broken;

  BrokenClassPath(String broken) {
    super(classPath(), BrokenClassPath.class.getClassLoader());
    this.broken = broken;
  }

  private static URL[] classPath() {
    List<URL> parts = new ArrayList<>();
    StringTokenizer path =
        new StringTokenizer(System.getProperty("java.class.path"), File.pathSeparator);
    while (path.hasMoreTokens()) {
      try {
        parts.add(Path.of(path.nextToken()).toUri().toURL());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return parts.toArray(URL[]::new);
  }

  LockBackendProvider provider() throws ReflectiveOperationException {
    return (LockBackendProvider)
        loadClass("io.holdfast.redis.RedisBackendProvider").getConstructor().newInstance();
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (OWN.stream().noneMatch(name::startsWith)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      if (name.equals(broken)) {
        throw new NoClassDefFoundError(name);
      }
      Class<?> found = findLoadedClass(name);
      return found != null ? found : findClass(name);
    }
  }
}
