import { configure } from '@testing-library/dom'
import { afterEach } from 'vitest'

// A query ends as soon as it finds its element; only one that never appears takes this long. The default of a second is
// too short on a busy machine.
configure({ asyncUtilTimeout: 15_000 })

// The test files of one worker share their modules, and with them the messages that a test left on the screen.
afterEach(async () => {
  if (typeof document === 'undefined') return
  const { clearToasts } = await import('../toast.tsx')
  clearToasts()
})
