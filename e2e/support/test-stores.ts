/** New databases on the servers of PostgreSQL and ClickHouse that `npm test` starts, as in the tests of the server. */
export * from '../../packages/server/src/testing/test-stores.ts'
