package io.holdfast.zookeeper;

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
 * Loads the module, Curator and ZooKeeper anew, except one class that it cannot load. Core and
 * everything else are shared with the test.
 */
final class BrokenClassPath extends URLClassLoader {
  private static final List<String> OWN =
      List.of("io.holdfast.zookeeper.", "org.apache.curator.", "org.apache.zookeeper.");

  private final String broken;

  BrokenClassPath(String broken) {
    super(classPath(), BrokenClassPath.class.getClassLoader());
    this.broken = broken;
  }

  private static URL[] classPath() {
    List<URL> elements = new ArrayList<>();
    StringTokenizer path =
        new StringTokenizer(System.getProperty("java.class.path"), File.pathSeparator);
    while (path.hasMoreTokens()) {
      try {
        elements.add(Path.of(path.nextToken()).toUri().toURL());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return elements.toArray(URL[]::new);
  }

  LockBackendProvider provider() throws ReflectiveOperationException {
    return (LockBackendProvider)
        loadClass("io.holdfast.zookeeper.ZooKeeperBackendProvider").getConstructor().newInstance();
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
