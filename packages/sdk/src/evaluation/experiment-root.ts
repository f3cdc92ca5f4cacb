import { RunTree, type RunTreeConfig } from '../tracing/run-tree.ts'

/**
 * Stands where a traceable looks for its parent, and makes it a root of the experiment instead: so a target that is
 * traceable already records where it should, with the example it ran on, whatever its own config says.
 *
 * It is never sent itself.
 */
export class ExperimentRoot extends RunTree {
  readonly #root: Partial<RunTreeConfig>
  /** The run that was started, if any. */
  started: RunTree | undefined

  constructor(root: Partial<RunTreeConfig>) {
    super({ name: 'experiment', client: root.client, project_name: root.project_name, tracingEnabled: true })
    this.#root = root
  }

  override createChild(config: RunTreeConfig): RunTree {
    const { id, trace_id, dotted_order, parent_run, parent_run_id, address, ...own } = config
    const run = new RunTree({
      ...own,
      ...this.#root,
      metadata: { ...own.extra?.metadata, ...own.metadata, ...this.#root.metadata },
      tracingEnabled: true,
    })
    this.started ??= run
    return run
  }
}
