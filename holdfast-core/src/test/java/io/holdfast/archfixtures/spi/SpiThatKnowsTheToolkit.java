package io.holdfast.archfixtures.spi;

import io.holdfast.archfixtures.spi.state.ToolkitThatKnowsTheApi;

/** An SPI that needs what some engines use. */
public final class SpiThatKnowsTheToolkit {
  ToolkitThatKnowsTheApi use() {
    return new ToolkitThatKnowsTheApi();
  }
}
