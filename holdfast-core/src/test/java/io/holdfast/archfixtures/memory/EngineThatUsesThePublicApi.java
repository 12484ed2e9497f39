package io.holdfast.archfixtures.memory;

import io.holdfast.archfixtures.PublicApi;

/** An engine that calls what calls it. */
public final class EngineThatUsesThePublicApi {
  PublicApi use() {
    return new PublicApi();
  }
}
