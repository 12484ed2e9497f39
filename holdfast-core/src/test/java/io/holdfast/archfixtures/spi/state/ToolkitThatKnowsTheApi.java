package io.holdfast.archfixtures.spi.state;

import io.holdfast.archfixtures.PublicApi;

/** A toolkit for engines that see the public API. */
public final class ToolkitThatKnowsTheApi {
  PublicApi use() {
    return new PublicApi();
  }
}
