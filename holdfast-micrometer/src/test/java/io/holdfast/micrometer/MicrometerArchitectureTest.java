package io.holdfast.micrometer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import org.junit.jupiter.api.Test;

/** This module uses the public API only. */
class MicrometerArchitectureTest {
  private static final ArchRule ONLY_THE_PUBLIC_API =
      classes()
          .that()
          .resideInAPackage("io.holdfast.micrometer..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.holdfast.micrometer..",
              "io.holdfast",
              "io.holdfast.metrics",
              "io.micrometer.core.instrument..",
              "org.jspecify..",
              "java..");

  @Test
  void theModuleUsesThePublicApiOnly() {
    JavaClasses module =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.holdfast.micrometer");

    assertThat(module.contain(MicrometerMetrics.class)).isTrue();
    ONLY_THE_PUBLIC_API.check(module);
  }

  @Test
  void theRuleFiresWhenItIsBroken() {
    JavaClasses usesTheSpi = new ClassFileImporter().importClasses(SilentStore.class);

    assertThat(ONLY_THE_PUBLIC_API.evaluate(usesTheSpi).hasViolation()).isTrue();
  }
}
