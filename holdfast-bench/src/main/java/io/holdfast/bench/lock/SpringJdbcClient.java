package io.holdfast.bench.lock;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * Spring Integration's JdbcLockRegistry on PostgreSQL, with the insert its documentation advises
 * there.
 */
final class SpringJdbcClient implements LockClient {
  private final HikariDataSource connections;
  private final DefaultLockRepository repository;
  private final JdbcLockRegistry registry;

  SpringJdbcClient(ClientSettings settings) {
    this.connections = PooledDataSource.to(settings.url());
    this.repository = new DefaultLockRepository(connections);
    repository.setTransactionManager(new DataSourceTransactionManager(connections));
    repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    repository.start();
    this.registry = new JdbcLockRegistry(repository);
  }

  @Override
  public BenchLock lock(String key) {
    return new JavaLock(registry.obtain(key));
  }

  @Override
  public void close() {
    repository.close();
    connections.close();
  }
}
