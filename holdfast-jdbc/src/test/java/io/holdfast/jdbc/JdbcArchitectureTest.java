package io.holdfast.jdbc;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import io.holdfast.jdbc.backend.ArchitectureViolations;
import java.time.Clock;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The permitted dependencies of this module. Every rule is also shown to fire, on a class that
 * breaks it.
 */
class JdbcArchitectureTest {
  private static final JavaClasses MODULE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.holdfast.jdbc");

  static final ArchRule THE_BACKEND_SEES_ONLY_THE_SPI =
      classes()
          .that()
          .resideInAPackage("io.holdfast.jdbc.backend..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.holdfast.jdbc.backend..",
              "io.holdfast.spi..",
              "org.postgresql..",
              "org.slf4j..",
              "org.jspecify..",
              "java..",
              "javax.sql..",
              "javax.net.ssl..");

  static final ArchRule ONLY_THE_LISTENER_KNOWS_A_DRIVER =
      noClasses()
          .that()
          .doNotHaveSimpleName("PostgresListener")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.postgresql..", "org.h2..", "org.sqlite..", "org.mariadb..");

  static final ArchRule NOBODY_REACHES_INTO_CORE =
      noClasses()
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("io.holdfast.internal..", "io.holdfast.memory.."));

  static final ArchRule NOBODY_READS_A_WALL_CLOCK =
      noClasses()
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethodWhere(
              target(owner(resideInAnyPackage("java.time.."))).and(target(nameMatching("now"))))
          .orShould()
          .callMethodWhere(target(owner(JavaClass.Predicates.equivalentTo(Clock.class))))
          .orShould()
          .callConstructor(Date.class);

  static final ArchRule NOBODY_INTERRUPTS_A_DRIVER =
      noClasses()
          .should()
          .callMethodWhere(target(nameMatching("shutdownNow")))
          .because("an interrupt closes files under some databases");

  static List<ArchRule> rules() {
    return List.of(
        THE_BACKEND_SEES_ONLY_THE_SPI,
        ONLY_THE_LISTENER_KNOWS_A_DRIVER,
        NOBODY_REACHES_INTO_CORE,
        NOBODY_READS_A_WALL_CLOCK,
        NOBODY_INTERRUPTS_A_DRIVER);
  }

  static Stream<Arguments> violations() {
    return Stream.of(
        Arguments.of(THE_BACKEND_SEES_ONLY_THE_SPI, ArchitectureViolations.SeesTheApi.class),
        Arguments.of(ONLY_THE_LISTENER_KNOWS_A_DRIVER, ArchitectureViolations.KnowsADriver.class),
        Arguments.of(NOBODY_REACHES_INTO_CORE, ArchitectureViolations.ReachesIntoCore.class),
        Arguments.of(NOBODY_READS_A_WALL_CLOCK, ArchitectureViolations.ReadsMillis.class),
        Arguments.of(NOBODY_READS_A_WALL_CLOCK, ArchitectureViolations.ReadsAnInstant.class),
        Arguments.of(NOBODY_INTERRUPTS_A_DRIVER, ArchitectureViolations.Interrupts.class));
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
}
