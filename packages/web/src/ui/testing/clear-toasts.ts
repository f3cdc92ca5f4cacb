import { afterEach } from 'vitest'

// The test files of one worker share their modules, and with them the messages that a test left on the screen.
afterEach(async () => {
  if (typeof document === 'undefined') return
  const { clearToasts } = await import('../toast.tsx')
  clearToasts()
})
