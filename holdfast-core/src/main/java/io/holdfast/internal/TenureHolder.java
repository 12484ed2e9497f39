package io.holdfast.internal;

import io.holdfast.spi.Resource;

/** What a tenure belongs to: hears when it is lost. */
interface TenureHolder {
  /** What is claimed in the store. */
  Resource resource();

  /** Its name. */
  default String key() {
    return resource().key();
  }

  /** Called once when a tenure is lost. Must not block. */
  void tenureLost(Tenure lost);
}
