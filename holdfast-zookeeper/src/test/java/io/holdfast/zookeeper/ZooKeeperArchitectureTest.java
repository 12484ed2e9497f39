package io.holdfast.zookeeper;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import io.holdfast.zookeeper.backend.ArchitectureViolations;
import java.time.Clock;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The permitted dependencies of this module. Every rule is also shown to fire, on a class that
 * breaks it.
 */
class ZooKeeperArchitectureTest {
  private static final JavaClasses MODULE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.holdfast.zookeeper");

  static final ArchRule THE_BACKEND_SEES_ONLY_THE_SPI =
      classes()
          .that()
          .resideInAPackage("io.holdfast.zookeeper.backend..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.holdfast.zookeeper.backend..",
              "io.holdfast.spi..",
              "org.apache.curator..",
              "org.apache.zookeeper",
              "org.apache.zookeeper.client",
              "org.apache.zookeeper.data",
              "org.slf4j..",
              "org.jspecify..",
              "java..");

  static final ArchRule ONLY_SESSIONS_TALK_TO_ZOOKEEPER =
      noClasses()
          .that(areNot("Session", "ZooKeeperClient"))
          .should()
          .dependOnClassesThat(
              equivalentTo(ZooKeeper.class)
                  .or(equivalentTo(Watcher.class))
                  .as("are ZooKeeper's client"));

  static final ArchRule ONE_CLASS_USES_CURATOR =
      noClasses()
          .that(areNot("ZooKeeperClient"))
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.curator..");

  static final ArchRule NO_CLASS_USES_INTERNALS_OF_CORE =
      noClasses()
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("io.holdfast.internal..", "io.holdfast.memory.."));

  static final ArchRule NO_CLASS_READS_A_WALL_CLOCK =
      noClasses()
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethodWhere(
              target(owner(resideInAnyPackage("java.time.."))).and(target(nameMatching("now"))))
          .orShould()
          .callMethodWhere(target(owner(equivalentTo(Clock.class))))
          .orShould()
          .callConstructor(Date.class);

  static List<ArchRule> rules() {
    return List.of(
        THE_BACKEND_SEES_ONLY_THE_SPI,
        ONLY_SESSIONS_TALK_TO_ZOOKEEPER,
        ONE_CLASS_USES_CURATOR,
        NO_CLASS_USES_INTERNALS_OF_CORE,
        NO_CLASS_READS_A_WALL_CLOCK);
  }

  static Stream<Arguments> violations() {
    return Stream.of(
        Arguments.of(THE_BACKEND_SEES_ONLY_THE_SPI, ArchitectureViolations.SeesTheApi.class),
        Arguments.of(THE_BACKEND_SEES_ONLY_THE_SPI, ArchitectureViolations.SeesTheShell.class),
        Arguments.of(THE_BACKEND_SEES_ONLY_THE_SPI, ArchitectureViolations.SeesTheServer.class),
        Arguments.of(ONLY_SESSIONS_TALK_TO_ZOOKEEPER, ArchitectureViolations.SendsRequests.class),
        Arguments.of(ONLY_SESSIONS_TALK_TO_ZOOKEEPER, ArchitectureViolations.ListensToNodes.class),
        Arguments.of(ONE_CLASS_USES_CURATOR, ArchitectureViolations.KnowsCurator.class),
        Arguments.of(NO_CLASS_USES_INTERNALS_OF_CORE, ArchitectureViolations.ReachesIntoCore.class),
        Arguments.of(NO_CLASS_READS_A_WALL_CLOCK, ArchitectureViolations.ReadsMillis.class),
        Arguments.of(NO_CLASS_READS_A_WALL_CLOCK, ArchitectureViolations.ReadsAnInstant.class),
        Arguments.of(NO_CLASS_READS_A_WALL_CLOCK, ArchitectureViolations.ReadsAClock.class),
        Arguments.of(NO_CLASS_READS_A_WALL_CLOCK, ArchitectureViolations.ReadsADate.class));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void theModuleKeepsTheRule(ArchRule rule) {
    rule.check(MODULE);
  }

  @ParameterizedTest
  @MethodSource("violations")
  void theRuleFiresWhenItIsBroken(ArchRule rule, Class<?> violation) {
    EvaluationResult result = rule.evaluate(new ClassFileImporter().importClasses(violation));
    assertThat(result.getFailureReport().toString()).contains(violation.getSimpleName());
  }

  /** The class itself and the classes inside it. */
  private static DescribedPredicate<JavaClass> areNot(String... names) {
    DescribedPredicate<JavaClass> listed = DescribedPredicate.alwaysFalse();
    for (String name : names) {
      listed = listed.or(simpleName(name)).or(nameMatching(".*\\." + name + "\\$.*").forSubtype());
    }
    return DescribedPredicate.not(listed).as("are not " + String.join(", ", names));
  }
}
