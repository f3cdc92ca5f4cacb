/**
 * The parts of `npm run test:full`, each at most an hour on two cores: arguments for Vitest that select its files. Every
 * test file belongs to exactly one part.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const PARTS = {
  units: ['--project=!e2e*'],
  clients: ['e2e/clients', 'e2e/parity', 'e2e/wrappers', 'e2e/runtimes'],
  programs: ['e2e/evaluation', 'e2e/test-runners', 'e2e/published', 'e2e/examples.test.ts', 'e2e/start.test.ts'],
  attack: ['e2e/attack', 'e2e/hostile'],
  durability: ['e2e/durability'],
  browser: ['--project=e2e-web'],
  journeys: ['e2e/web/journeys'],
}

/**
 * Variables of every part: journeys over a million runs, more rounds of kills and races, every suite on every engine, every
 * version of every client.
 */
export const FULL = {
  TOUCHSTONE_JOURNEYS: 'full',
  TOUCHSTONE_KILL_ROUNDS: '200',
  TOUCHSTONE_CONCURRENCY_ROUNDS: '100',
}
