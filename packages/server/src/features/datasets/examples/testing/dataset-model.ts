/** The content of an example as plain values. */
export interface ModelExample {
  readonly id: string
  readonly inputs: object
  readonly outputs: object | null
  readonly metadata: object
  readonly splits: readonly string[]
  /** The version that changed it last. */
  readonly changedAt: string
}

interface ModelVersion {
  readonly asOf: string
  /** All examples of this version; unlike the server, the model copies them. */
  readonly examples: ReadonlyMap<string, ModelExample>
  readonly changed: ReadonlySet<string>
}

/** A dataset with its whole history, in the simplest form. */
export class DatasetModel {
  readonly versions: ModelVersion[] = []
  readonly tags = new Map<string, string>()
  readonly everTaken = new Set<string>()

  get newest(): ReadonlyMap<string, ModelExample> {
    return this.versions.at(-1)?.examples ?? new Map()
  }

  /** Records a version that the server returned. */
  record(asOf: string, change: (examples: Map<string, ModelExample>) => void): void {
    const examples = new Map(this.newest)
    change(examples)
    const changed = new Set<string>()
    for (const id of new Set([...this.newest.keys(), ...examples.keys()])) {
      if (this.newest.get(id) !== examples.get(id)) changed.add(id)
    }
    for (const id of examples.keys()) this.everTaken.add(id)
    this.versions.push({ asOf, examples, changed })
  }

  erase(ids: readonly string[]): void {
    for (const version of this.versions)
      for (const id of ids) (version.examples as Map<string, ModelExample>).delete(id)
  }

  /** The newest version not after an instant. */
  versionAt(instant: string): ModelVersion | undefined {
    return this.versions.filter(({ asOf }) => Date.parse(asOf) <= Date.parse(instant)).at(-1)
  }

  at(asOf: string): ReadonlyMap<string, ModelExample> {
    if (asOf === 'latest') return this.newest
    return this.versionAt(this.tags.get(asOf) ?? asOf)?.examples ?? new Map()
  }

  diff(from: string, to: string) {
    const [before, after] = [this.at(from), this.at(to)]
    const both = [...before.keys()].filter((id) => after.has(id))
    return {
      examples_modified: both.filter((id) => before.get(id)?.changedAt !== after.get(id)?.changedAt).sort(),
      examples_added: [...after.keys()].filter((id) => !before.has(id)).sort(),
      examples_removed: [...before.keys()].filter((id) => !after.has(id)).sort(),
    }
  }
}
