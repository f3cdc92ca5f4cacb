/**
 * Finds many texts at once, unit by unit (Aho-Corasick): the work for each unit is bounded on average whatever is searched
 * for, which neither regular expressions nor `indexOf` promise for texts that repeat themselves.
 */
export class TextSearch {
  /** Nodes of the tree of all texts; 0 is the root, and as a child none. */
  readonly #unit: Uint16Array
  readonly #firstChild: Int32Array
  readonly #nextSibling: Int32Array
  /** The node of the longest end of a node's text that is the beginning of a text. */
  readonly #fallback: Int32Array
  readonly #length: Uint16Array
  readonly #foundLength: Uint16Array
  readonly #openLength: Uint16Array
  /** Children of the root by their unit, because most units of a text are looked up there. */
  readonly #atRoot = new Int32Array(256)
  #nodes = 1

  /** Nodes that were looked at since the beginning, which tests compare with the number of units. */
  steps = 0

  /** @param texts  of fewer than 65,536 units each */
  constructor(texts: readonly string[]) {
    const size = 1 + texts.reduce((sum, text) => sum + text.length, 0)
    this.#unit = new Uint16Array(size)
    this.#firstChild = new Int32Array(size)
    this.#nextSibling = new Int32Array(size)
    this.#fallback = new Int32Array(size)
    this.#length = new Uint16Array(size)
    this.#foundLength = new Uint16Array(size)
    this.#openLength = new Uint16Array(size)
    for (const text of texts) this.#add(text)
    this.#link()
  }

  /** The node after another unit. @param node  0 at the beginning */
  next(node: number, unit: number): number {
    for (let at = node; ; at = this.#fallback[at] ?? 0) {
      const child = this.#findChild(at, unit)
      if (child !== 0 || at === 0) return child
    }
  }

  /** Units at the end of what was read that may belong to a text, found or not; 0 at the root. */
  length(node: number): number {
    return this.#length[node] ?? 0
  }

  /** Units of the longest text that ends here; 0 for none. */
  foundLength(node: number): number {
    return this.#foundLength[node] ?? 0
  }

  /** Units of the longest beginning of a text that ends here and is not the whole of it; 0 for none. */
  openLength(node: number): number {
    return this.#openLength[node] ?? 0
  }

  #findChild(node: number, unit: number): number {
    this.steps++
    if (node === 0 && unit < 256) return this.#atRoot[unit] ?? 0
    let child = this.#firstChild[node] ?? 0
    while (child !== 0 && this.#unit[child] !== unit) {
      this.steps++
      child = this.#nextSibling[child] ?? 0
    }
    return child
  }

  #add(text: string): void {
    let node = 0
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      node = this.#findChild(node, unit) || this.#addChild(node, unit)
    }
    this.#foundLength[node] = text.length
  }

  #addChild(parent: number, unit: number): number {
    const child = this.#nodes++
    this.#unit[child] = unit
    this.#length[child] = (this.#length[parent] ?? 0) + 1
    this.#nextSibling[child] = this.#firstChild[parent] ?? 0
    this.#firstChild[parent] = child
    if (parent === 0 && unit < 256) this.#atRoot[unit] = child
    return child
  }

  /** Sets what nodes have from their fallbacks, which are shorter and therefore set before them. */
  #link(): void {
    const queue = new Int32Array(this.#nodes)
    let queued = 1
    for (let at = 0; at < queued; at++) {
      const node = queue[at] ?? 0
      const fallback = this.#fallback[node] ?? 0
      if (this.#foundLength[node] === 0) this.#foundLength[node] = this.#foundLength[fallback] ?? 0
      this.#openLength[node] =
        this.#firstChild[node] === 0 ? (this.#openLength[fallback] ?? 0) : (this.#length[node] ?? 0)
      for (let child = this.#firstChild[node] ?? 0; child !== 0; child = this.#nextSibling[child] ?? 0) {
        if (node !== 0) this.#fallback[child] = this.next(fallback, this.#unit[child] ?? 0)
        queue[queued++] = child
      }
    }
  }
}
