import { ApiError } from '@touchstone/contract'
import pg from 'pg'
import { findLostStore, isLostConnection } from '../unavailable-store.ts'
import { KEEP_ALIVE_OF_SERVER, openPool, POSTGRES_LIMITS } from './open-pool.ts'

/** Locks that all processes of a database share. */
export interface WriteLocks {
  /**
   * Runs `work` while no other process holds one of the keys.
   *
   * @param keys      any texts
   * @param findMore  further keys, which can only be found while `keys` are held
   * @returns the result of `work`, once it is certain that the locks were held until it ended: only then may what it wrote
   *   be acknowledged
   * @throws ApiError UNAVAILABLE when another process holds a key for too long, or when the database was lost meanwhile
   */
  hold<Result>(
    keys: readonly string[],
    findMore: () => Promise<readonly string[]>,
    work: () => Promise<Result>,
  ): Promise<Result>
  close(): Promise<void>
}

/** Held while blobs are removed, and shared by backups, which copy them. */
export const BLOB_REMOVALS = 'blob removals'

/** A write of another process takes less; a process that stands still must not stop the others. */
const MAX_WAIT_MS = 2_000
/** Two processes may wait for each other when both find further keys; PostgreSQL ends one of them. */
const ATTEMPTS = 3

/**
 * Locks of a PostgreSQL server, each held by an open transaction: they end with it, and with the connection of a process that
 * was killed. They have connections of their own, so that they never wait for other transactions of the process.
 *
 * @see docs/decisions/0087-locks-of-several-processes.md
 */
export function openWriteLocks(url: string, limits = POSTGRES_LIMITS): WriteLocks {
  const pool = openPool({ connectionString: url, max: 2, options: KEEP_ALIVE_OF_SERVER }, () => {}, limits)

  const lock = (client: pg.PoolClient, keys: readonly string[]) =>
    keys.length === 0
      ? undefined
      : client.query(
          `select pg_advisory_xact_lock(hash)
          from (select distinct hashtextextended(key, 0) as hash from unnest($1::text[]) as key order by hash) as hashes`,
          [keys],
        )

  async function acquire(
    client: pg.PoolClient,
    keys: readonly string[],
    findMore: () => Promise<readonly string[]>,
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await client.query(`begin; set local lock_timeout = ${MAX_WAIT_MS}`)
      try {
        await lock(client, keys)
        await lock(client, await findMore())
        return
      } catch (error) {
        if (!(isCode(error, DEADLOCK) && attempt < ATTEMPTS)) throw error
        await client.query('rollback')
      }
    }
  }

  return {
    async hold(keys, findMore, work) {
      const client = await pool.connect().catch((cause) => {
        throw lostDatabase(cause)
      })
      let broken: Error | undefined
      const onError = (error: Error) => {
        broken = error
      }
      client.on('error', onError)
      try {
        await acquire(client, keys, findMore).catch((cause) => {
          throw cause instanceof ApiError ? cause : toRefusal(cause)
        })
        const result = await work()
        await client.query('commit').catch((cause) => {
          throw lostDatabase(cause)
        })
        return result
      } catch (error) {
        await client.query('rollback').catch((failure: Error) => {
          broken ??= failure
        })
        throw error
      } finally {
        client.off('error', onError)
        client.release(broken)
      }
    },
    close: () => pool.end(),
  }
}

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
const OUT_OF_SHARED_MEMORY = '53200'

const isCode = (error: unknown, code: string) => error instanceof pg.DatabaseError && error.code === code

function toRefusal(cause: unknown): ApiError {
  if (isCode(cause, LOCK_NOT_AVAILABLE) || isCode(cause, DEADLOCK)) {
    return refuse('Another process of the server is writing the same runs. Nothing was stored; send it again.', cause)
  }
  if (isCode(cause, OUT_OF_SHARED_MEMORY)) {
    return refuse('PostgreSQL has no memory for more locks; raise its setting max_locks_per_transaction to 256.', cause)
  }
  if (cause instanceof pg.DatabaseError) return lostDatabase(cause)
  // What is searched while the locks are held may be in another store.
  if (isLostConnection(cause)) return lostStore(findLostStore(cause) ?? 'PostgreSQL', cause)
  return refuse('The write could not begin; send it again.', cause)
}

const lostDatabase = (cause: unknown) => lostStore('PostgreSQL', cause)

const lostStore = (store: string, cause: unknown) =>
  refuse(`The connection to ${store} was lost while runs were written. Send them again.`, cause)

const refuse = (message: string, cause: unknown) =>
  new ApiError('UNAVAILABLE', message, { cause, retryAfterSeconds: 1 })
