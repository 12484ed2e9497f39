package io.holdfast;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The packages of {@code io.holdfast.internal}, and which of them each may use. */
final class Rooms {
  private static final Map<String, Set<String>> BELOW = new LinkedHashMap<>();

  static {
    room("base");
    room("lease", "base");
    room("observe", "lease", "base");
    room("engine", "observe", "lease", "base");
    room("local.gate", "base");
    room("local.request", "local.gate", "engine", "observe", "lease", "base");
    room("local.mutex", "local.request", "local.gate", "engine", "observe", "lease", "base");
    room("local.shared", "local.request", "local.gate", "engine", "observe", "lease", "base");
    room(
        "local.multi",
        "local.mutex",
        "local.request",
        "local.gate",
        "engine",
        "observe",
        "lease",
        "base");
    room("watchdog", "engine", "observe", "lease", "base");
    // The registry assembles all the others. No room may use it.
    room("", BELOW.keySet().toArray(String[]::new));
  }

  private Rooms() {}

  private static void room(String name, String... below) {
    BELOW.put(name, new LinkedHashSet<>(Arrays.asList(below)));
  }

  /** A package that the table does not name may use no room, and no room may use it. */
  static ArchCondition<JavaClass> lookDownOnly(String root) {
    String internal = root + ".internal";
    return new ArchCondition<>("use the rooms below their own only") {
      @Override
      public void check(JavaClass user, ConditionEvents events) {
        String from = roomOf(user);
        for (Dependency arrow : user.getDirectDependenciesFromSelf()) {
          JavaClass used = arrow.getTargetClass();
          if (isInside(used) && !mayUse(from, roomOf(used))) {
            events.add(SimpleConditionEvent.violated(user, arrow.getDescription()));
          }
        }
      }

      private boolean isInside(JavaClass used) {
        return (used.getPackageName() + ".").startsWith(internal + ".");
      }

      private String roomOf(JavaClass inside) {
        String name = inside.getPackageName().substring(internal.length());
        return name.isEmpty() ? name : name.substring(1);
      }
    };
  }

  private static boolean mayUse(String from, String to) {
    return from.equals(to) || BELOW.getOrDefault(from, Set.of()).contains(to);
  }
}
