package io.holdfast.redis.backend;

import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds classes by name, without initializing them and without failing if there are none. */
final class ClassPath {
  private final @Nullable ClassLoader loader;

  ClassPath(@Nullable ClassLoader loader) {
    this.loader = loader;
  }

  /** The class path of this module. */
  static ClassPath ours() {
    return new ClassPath(ClassPath.class.getClassLoader());
  }

  boolean has(String className) {
    return find(className) != null;
  }

  /** True if a subclass of the class can call this public constructor. */
  boolean canExtend(String className, String... parameterTypes) {
    Class<?> type = find(className);
    if (type == null || Modifier.isFinal(type.getModifiers())) {
      return false;
    }
    List<String> expected = List.of(parameterTypes);
    for (Constructor<?> constructor : type.getConstructors()) {
      if (names(constructor.getParameterTypes()).equals(expected)) {
        return true;
      }
    }
    return false;
  }

  private static List<String> names(Class<?>[] types) {
    String[] names = new String[types.length];
    for (int i = 0; i < types.length; i++) {
      names[i] = types[i].getName();
    }
    return List.of(names);
  }

  private @Nullable Class<?> find(String className) {
    try {
      return Class.forName(className, false, loader);
    } catch (ClassNotFoundException e) {
      return null;
    }
  }
}
