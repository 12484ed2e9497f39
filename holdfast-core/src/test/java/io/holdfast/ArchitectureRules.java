package io.holdfast;

import static com.tngtech.archunit.base.DescribedPredicate.anyElementThat;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.PROTECTED;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.ClassesShouldConjunction;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
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

  static ArchRule theRoomsLookDownOnly(String root) {
    return classes()
        .that()
        .resideInAPackage(root + ".internal..")
        .should(Rooms.lookDownOnly(root))
        .because("a room can be read, tested and changed without those above it");
  }

  /**
   * The public API is the door of the house: it opens the rooms, and they use its types. That is
   * the one cycle that remains.
   */
  static ArchRule packagesFormNoCycles(String root) {
    return slices()
        .assignedFrom(eachPackageOf(root))
        .should()
        .beFreeOfCycles()
        .ignoreDependency(resideInAPackage(root), resideInAPackage(root + ".internal.."))
        .because("what depends on each other is one thing in two places");
  }

  static ArchRule theSpiKnowsNothingElseOfOurs(String root) {
    return onlyDependOn(root + ".spi")
        .because("an engine of somebody else must need nothing but the SPI");
  }

  static ArchRule theStateToolkitSeesOnlyTheSpi(String root) {
    return onlyDependOn(root + ".spi.state", root + ".spi")
        .because("it is for engines, which see only the SPI");
  }

  static ArchRule theMetricsSeeOnlyTheApi(String root) {
    return onlyDependOn(root + ".metrics", root)
        .because("metrics of somebody else must need nothing but the API");
  }

  /** The package and what it may use; and Java and a logger. */
  private static ClassesShouldConjunction onlyDependOn(String user, String... used) {
    return classes()
        .that()
        .resideInAPackage(user)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(and(used, nothingBut(user)));
  }

  private static SliceAssignment eachPackageOf(String root) {
    return new SliceAssignment() {
      @Override
      public SliceIdentifier getIdentifierOf(JavaClass some) {
        String name = some.getPackageName();
        boolean inside = (name + ".").startsWith(root + ".");
        return inside ? SliceIdentifier.of(name) : SliceIdentifier.ignore();
      }

      @Override
      public String getDescription() {
        return "the packages of " + root;
      }
    };
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

  /** Whoever calls such a method could not name the type, as no module exports it. */
  static ArchRule theApiShowsNoInternals(String root) {
    DescribedPredicate<JavaClass> internal = resideInAPackage(root + ".internal..");
    return codeUnits()
        .that()
        .areDeclaredInClassesThat()
        .resideOutsideOfPackage(root + ".internal..")
        .and()
        .areDeclaredInClassesThat(describe("applications see", ArchitectureRules::isVisible))
        .and(modifier(PUBLIC).or(modifier(PROTECTED)))
        .should()
        .notHaveRawReturnType(internal)
        .andShould()
        .notHaveRawParameterTypes(anyElementThat(internal))
        .because("only the API and the SPI are exported");
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

  /** A public class inside one that is not public is as hidden as that one. */
  private static boolean isVisible(JavaClass some) {
    return some.getModifiers().contains(PUBLIC)
        && some.getEnclosingClass().map(ArchitectureRules::isVisible).orElse(true);
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
