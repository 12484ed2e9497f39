package io.holdfast.bench.worker;

import io.holdfast.bench.lock.LockClient;
import java.util.List;

/** Something a worker can be told to do with its clients. */
@FunctionalInterface
interface Task {
  /**
   * Does it.
   *
   * @param clients the open connections
   * @param order what exactly
   * @return what came of it
   */
  Fields run(List<LockClient> clients, Fields order) throws Exception;
}
