package io.holdfast.redis;

import io.holdfast.LockManager;
import io.holdfast.LockManagerBuilder;
import io.holdfast.testkit.contract.EngineUnderTest;
import io.holdfast.testservers.RedisServer;
import io.holdfast.testservers.RespClient;
import java.util.Collection;
import java.util.Optional;

/** A Redis server; by default the one that the tests of this run share. */
final class RedisEngineUnderTest implements EngineUnderTest {
  private final RedisServer server;
  private final RespClient client;

  RedisEngineUnderTest() {
    this(RedisServer.shared());
  }

  RedisEngineUnderTest(RedisServer server) {
    this.server = server;
    this.client = server.client();
  }

  @Override
  public LockManagerBuilder newManager() {
    return LockManager.builder(PatientUrl.patient(server.url()));
  }

  @Override
  public Optional<String> urlForOtherProcesses() {
    return Optional.of(PatientUrl.patient(server.url()));
  }

  @Override
  public void removeByHand(String key) {
    client.call("DEL", key);
  }

  @Override
  public void forgetEverything() {
    client.call("FLUSHALL");
  }

  @Override
  public Collection<String> leftoversOf(String key) {
    return client.list("KEYS", "*" + key + "*").stream().map(String::valueOf).toList();
  }

  @Override
  public void close() {
    client.close();
  }

  @Override
  public boolean isShared(Thread thread) {
    return thread.getName().startsWith("globalEventExecutor");
  }
}
