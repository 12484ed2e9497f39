package io.holdfast;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The boundaries of DESIGN 1 and 5. Each is a function of the root package, so that it can be held
 * against classes that break it.
 */
final class ArchitectureRules {
  private static final String[] JAVA_AND_A_LOGGER = {"java..", "org.slf4j..", "org.jspecify.."};

  private ArchitectureRules() {}

  static ArchRule onlyTheGateIsASynchronizer(String root) {
    String gate = root + ".internal.local.gate.LocalGate";
    return classes()
        .that()
        .areAssignableTo(AbstractOwnableSynchronizer.class)
        .should()
        .haveNameMatching(Pattern.quote(gate) + "(\\$.*)?")
        .because("threads of this process queue in one place");
  }

  static ArchRule theSpiKnowsNothingElseOfOurs(String root) {
    return classes()
        .that()
        .resideInAPackage(root + ".spi..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(nothingBut(root + ".spi.."))
        .because("an engine of somebody else must need nothing but the SPI");
  }

  /** For every engine: pass its package, and what else it may use. */
  static ArchRule anEngineSeesOnlyTheSpi(String root, String engine, String... libraries) {
    String[] allowed = and(libraries, nothingBut(engine, root + ".spi.."));
    return classes()
        .that()
        .resideInAPackage(engine)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(allowed)
        .because("waiting, renewal and recovery exist once, in core, for all engines");
  }

  static ArchRule internalsAreUsedByThePublicApiOnly(String root) {
    return classes()
        .that()
        .resideInAPackage(root + ".internal..")
        .should()
        .onlyHaveDependentClassesThat()
        .resideInAnyPackage(root, root + ".internal..")
        .because("what nobody else uses can be changed");
  }

  static ArchRule coreNeedsNothingButJavaAndALogger(String root) {
    return classes()
        .that()
        .resideInAPackage(root + "..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(nothingBut(root + "..", "jdk.jfr"))
        .because("a lock library must not bring libraries into an application");
  }

  static ArchRule onlySystemTimeReadsTheWallClock(String root) {
    return noClasses()
        .that()
        .doNotHaveFullyQualifiedName(root + ".spi.SystemTime")
        .should()
        .callMethodWhere(describe("it reads the wall clock", ArchitectureRules::readsTheWallClock))
        .because("wall clocks jump, and tests move the time");
  }

  static ArchRule nobodyUsesAJavaUtilTimer() {
    return noClasses()
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(Timer.class, TimerTask.class)
        .because("one scheduler serves all, and a task that throws must not end it");
  }

  private static boolean readsTheWallClock(JavaMethodCall call) {
    String owner = call.getTargetOwner().getFullName();
    String method = call.getTarget().getName();
    return (owner.equals(System.class.getName()) && method.equals("currentTimeMillis"))
        || (owner.equals(Instant.class.getName()) && method.equals("now"))
        || owner.equals(Clock.class.getName());
  }

  private static String[] nothingBut(String... packages) {
    return and(packages, JAVA_AND_A_LOGGER);
  }

  private static String[] and(String[] some, String[] more) {
    return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
  }
}
