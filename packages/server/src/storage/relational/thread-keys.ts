import { THREAD_KEYS, threadKeysOf } from '@touchstone/contract'
import { and, eq, like } from 'drizzle-orm'
import type { Relational } from './port.ts'
import { projects } from './tables/projects.ts'

/** Another process may change a project, so what was read is used for five seconds at most. */
const SHARED_MS = 5_000

interface LoadDeps {
  readonly relational: Relational
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

interface KeysOfTenant {
  readonly byProject: ReadonlyMap<string, readonly string[]>
  /** Milliseconds since 1970. */
  readonly until: number
}

/** Until more time than `SHARED_MS` is left, because the clock was set back. */
function isCurrent({ until }: KeysOfTenant, now: number): boolean {
  return until > now && (until - now <= SHARED_MS || until === Number.POSITIVE_INFINITY)
}

/**
 * The thread keys that projects have chosen, in memory. The writer of runs looks them up here, because it must not wait for
 * the relational store: a transaction there may wait for the writer.
 */
export class ThreadKeys {
  readonly #tenants = new Map<string, KeysOfTenant>()
  readonly #loading = new Map<string, Promise<void>>()
  #changes = 0

  /** Reads the keys of a workspace, unless they are known. Call it before runs are given to the writer. */
  async load(deps: LoadDeps, tenantId: string): Promise<void> {
    const known = this.#tenants.get(tenantId)
    if (known !== undefined && isCurrent(known, deps.clock())) return
    const loading = this.#loading.get(tenantId) ?? this.#read(deps, tenantId)
    this.#loading.set(tenantId, loading)
    try {
      await loading
    } finally {
      if (this.#loading.get(tenantId) === loading) this.#loading.delete(tenantId)
    }
  }

  /** Metadata keys that name the threads of a project, as last loaded. */
  of(tenantId: string, projectId: string): readonly string[] {
    return this.#tenants.get(tenantId)?.byProject.get(projectId) ?? THREAD_KEYS
  }

  /** Reads the keys again before the next runs are written. Until then, the writer uses what it knows. */
  forget(): void {
    this.#changes++
    this.#loading.clear()
    for (const [tenantId, known] of this.#tenants) this.#tenants.set(tenantId, { ...known, until: 0 })
  }

  async #read({ relational, clock }: LoadDeps, tenantId: string): Promise<void> {
    const changes = this.#changes
    const rows = await relational.db
      .select({ id: projects.id, extra: projects.extra })
      .from(projects)
      .where(and(eq(projects.tenant_id, tenantId), like(projects.extra, '%thread_keys%')))
    const byProject = new Map(rows.map(({ id, extra }) => [id, threadKeysOf(JSON.parse(extra ?? 'null'))]))
    if (changes !== this.#changes) return this.load({ relational, clock }, tenantId)
    const until = relational.engine === 'pglite' ? Number.POSITIVE_INFINITY : clock() + SHARED_MS
    this.#tenants.set(tenantId, { byProject, until })
  }
}
