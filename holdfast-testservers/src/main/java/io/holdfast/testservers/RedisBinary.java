package io.holdfast.testservers;

import io.holdfast.testkit.internal.Leftovers;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import redis.embedded.Redis;

/**
 * The {@code redis-server} executable, taken out of the embedded-redis jar once per JVM. The jar
 * holds one file per platform, named {@code redis-server-<version>-<os>-<arch>}; the version is not
 * spelled out here, so that it is decided in the build file alone.
 */
final class RedisBinary {
  /** Names an executable to use instead: another version, or one that is linked dynamically. */
  static final String VARIABLE = "HOLDFAST_TEST_REDIS_SERVER";

  private static @Nullable Path extracted;

  private RedisBinary() {}

  static synchronized Path path() {
    if (extracted == null) {
      String given = System.getenv(VARIABLE);
      extracted = given == null || given.isBlank() ? extract(platform()) : Path.of(given);
    }
    return extracted;
  }

  private static Path extract(String platform) {
    Pattern name = Pattern.compile("redis-server-[0-9.]+-" + Pattern.quote(platform));
    try (JarFile jar = new JarFile(jarOf(Redis.class).toFile())) {
      JarEntry entry =
          jar.stream()
              .filter(candidate -> name.matcher(candidate.getName()).matches())
              .findFirst()
              .orElseThrow(
                  () ->
                      new UnsupportedOperationException(
                          "no redis-server for "
                              + platform
                              + " in "
                              + jar.getName()
                              + "; set "
                              + RedisServer.URL_VARIABLE
                              + " to use a server of your own"));
      Path file = Leftovers.newDirectory("redis-binary").resolve("redis-server");
      try (InputStream in = jar.getInputStream(entry)) {
        Files.copy(in, file);
      }
      if (!file.toFile().setExecutable(true)) {
        throw new IOException("cannot make " + file + " executable");
      }
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot extract redis-server", e);
    }
  }

  private static Path jarOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("no jar for " + type, e);
    }
  }

  private static String platform() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return (os.startsWith("mac") ? "darwin" : os)
        + "-"
        + switch (arch) {
          case "amd64", "x86_64" -> "amd64";
          case "aarch64", "arm64" -> "arm64";
          case "x86", "i386", "i686" -> "386";
          default -> arch;
        };
  }
}
