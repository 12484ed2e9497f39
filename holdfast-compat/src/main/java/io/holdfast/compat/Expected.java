package io.holdfast.compat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a case is about: without it the case proves nothing of its name.
 *
 * @param versions by artifact; one that ends with a dot stands for all versions that begin so
 * @param netty the version of Netty, or its beginning; null if there is to be none
 * @param io the driver that Redis is to have; null if there is no Redis
 */
record Expected(Map<String, String> versions, @Nullable String netty, @Nullable String io) {
  static final Expected NOTHING = new Expected(Map.of(), null, null);

  /** The same with one more artifact. */
  Expected with(String artifact, String version) {
    Map<String, String> more = new TreeMap<>(versions);
    more.put(artifact, version);
    return new Expected(Map.copyOf(more), netty, io);
  }

  /** The same with this Netty. */
  Expected netty(String version) {
    return new Expected(versions, version, io);
  }

  /** The same with this driver: {@code caller} or {@code netty}. */
  Expected io(String driver) {
    return new Expected(versions, netty, driver);
  }

  /** What else the class path has. */
  List<String> faultsOf(ClassPath classPath) {
    List<String> faults = new ArrayList<>();
    versions.forEach(
        (artifact, wanted) ->
            check(faults, artifact, Set.of(wanted), classPath.versionsOf(artifact)));
    check(faults, "Netty", netty == null ? Set.of() : Set.of(netty), classPath.nettyVersions());
    return faults;
  }

  /** What else ran. */
  List<String> faultsOf(Set<String> drivers) {
    List<String> faults = new ArrayList<>();
    check(faults, "I/O driver", io == null ? Set.of() : Set.of(io), drivers);
    return faults;
  }

  private static void check(
      List<String> faults, String what, Set<String> wanted, Set<String> found) {
    boolean same =
        wanted.size() == found.size()
            && found.stream().allMatch(each -> wanted.stream().anyMatch(want -> is(each, want)));
    if (!same) {
      faults.add("%s %s expected, %s found".formatted(what, wanted, found));
    }
  }

  private static boolean is(String found, String wanted) {
    return wanted.endsWith(".") ? found.startsWith(wanted) : found.equals(wanted);
  }
}
