// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { Splitter, type SplitterProps } from './splitter.tsx'

afterEach(cleanup)

function Example(props: Pick<SplitterProps, 'pane' | 'orientation'>) {
  const [percent, setPercent] = useState(40)
  return <Splitter label="Resize details" value={percent} min={20} max={80} onChange={setPercent} {...props} />
}

/** Returns the size of the pane after each key. */
async function pressKeys(props: Parameters<typeof Example>[0], keys: readonly string[]): Promise<(string | null)[]> {
  render(<Example {...props} />)
  const separator = screen.getByRole('separator', { name: 'Resize details' })
  separator.focus()
  const sizes: (string | null)[] = []
  for (const key of keys) {
    await userEvent.keyboard(key)
    sizes.push(separator.getAttribute('aria-valuenow'))
  }
  return sizes
}

describe('a splitter', () => {
  it('moves by two percent with the arrow keys of its direction', async () => {
    expect(await pressKeys({}, ['{ArrowLeft}', '{ArrowRight}', '{ArrowUp}'])).toEqual(['42', '40', '40'])
  })

  it('grows a pane before it in the opposite direction', async () => {
    expect(await pressKeys({ pane: 'before' }, ['{ArrowRight}', '{ArrowLeft}'])).toEqual(['42', '40'])
  })

  it('moves up and down between rows', async () => {
    expect(await pressKeys({ orientation: 'horizontal' }, ['{ArrowUp}', '{ArrowLeft}'])).toEqual(['42', '42'])
  })

  it('stops at its limits', async () => {
    expect(await pressKeys({}, ['{Home}', '{ArrowRight}', '{End}', '{ArrowLeft}'])).toEqual(['20', '20', '80', '80'])
  })
})
