package io.holdfast.bench.lock;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** The pool of connections that applications give to the libraries that need a data source. */
final class PooledDataSource {
  private static final int SIZE = 20;

  private PooledDataSource() {}

  static HikariDataSource to(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(SIZE);
    config.setMinimumIdle(1);
    return new HikariDataSource(config);
  }
}
