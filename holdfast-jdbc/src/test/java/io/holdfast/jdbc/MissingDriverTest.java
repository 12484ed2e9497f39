package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockManager;
import io.holdfast.StoreException;
import java.sql.Driver;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Removes a driver from the whole JVM for a moment. */
@Isolated
class MissingDriverTest {
  @Test
  void theMessageNamesTheMissingDriver() throws Exception {
    Driver driver = DriverManager.getDriver("jdbc:h2:mem:x");
    DriverManager.deregisterDriver(driver);
    try {
      assertThatThrownBy(() -> LockManager.create("jdbc:h2:mem:x"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("no JDBC driver")
          .hasMessageContaining("com.h2database:h2");
    } finally {
      DriverManager.registerDriver(driver);
    }
  }
}
