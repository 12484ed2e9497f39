package io.holdfast.bench.lock;

import com.zaxxer.hikari.HikariDataSource;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock on PostgreSQL, with the clock of the database as its documentation advises. */
final class ShedLockJdbcClient implements LockClient {
  private final HikariDataSource connections;
  private final JdbcTemplateLockProvider provider;

  ShedLockJdbcClient(ClientSettings settings) {
    this.connections = PooledDataSource.to(settings.url());
    this.provider =
        new JdbcTemplateLockProvider(
            Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(connections))
                .usingDbTime()
                .build());
  }

  @Override
  public BenchLock lock(String key) {
    return new ShedLock(provider, key);
  }

  @Override
  public void close() {
    connections.close();
  }
}
