import pg from 'pg'

/**
 * Opens a pool of connections to PostgreSQL that outlives each of them: when a connection ends between two statements of a
 * transaction, the next statement fails. The pool itself listens to idle connections only, and an error event without a
 * listener would end the process.
 *
 * @param onIdleError  called when an idle connection breaks; the pool opens another one
 */
export function openPool(config: pg.PoolConfig, onIdleError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('error', onIdleError)
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
