// Search in pages opened as files. Browsers do not start workers there, so a hidden frame runs the worker's script.
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      const load = source => new Promise((loaded, failed) => {
        const script = this.inside.document.createElement("script");
        Object.assign(script, { src: source, onload: loaded, onerror: failed });
        this.inside.document.head.append(script);
      });
      this.inside.importScripts = (...urls) =>
        urls.reduce((before, next) => before.then(() => load(next)), Promise.resolve());
      this.inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = load(url);
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })));
    }

    terminate() {
      this.inside.frameElement.remove();
    }
  };
