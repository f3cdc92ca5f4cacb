// @vitest-environment happy-dom
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { CONTROL, FormField } from './field.tsx'
import { Menu, MenuCheck, MenuItem } from './menu.tsx'
import { Popover } from './popover.tsx'
import { Segmented } from './segmented.tsx'
import { SnippetTabs } from './snippet.tsx'
import { Tabs } from './tabs.tsx'
import { TimeRangeMenu } from './time-range-menu.tsx'

afterEach(cleanup)

describe('a form field', () => {
  it('links its label and its hint to the control', () => {
    render(
      <FormField label="Name" hint="Shown in lists">
        {(props) => <input {...props} className={CONTROL} />}
      </FormField>,
    )
    const input = screen.getByLabelText('Name')
    expect(describedBy(input)).toBe('Shown in lists')
    expect(input.getAttribute('aria-invalid')).toBe('false')
  })

  it('announces an error instead of the hint', () => {
    render(
      <FormField label="Name" hint="Shown in lists" error="Enter a name">
        {(props) => <input {...props} className={CONTROL} />}
      </FormField>,
    )
    const input = screen.getByLabelText('Name')
    expect(screen.getByRole('alert').textContent).toBe('Enter a name')
    expect(describedBy(input)).toBe('Enter a name')
    expect(input.getAttribute('aria-invalid')).toBe('true')
  })
})

function describedBy(element: HTMLElement): string | null | undefined {
  return document.getElementById(element.getAttribute('aria-describedby') ?? '')?.textContent
}

describe('tabs', () => {
  function Example() {
    const [value, setValue] = useState<'chat' | 'json' | 'raw'>('chat')
    return (
      <Tabs
        label="View"
        value={value}
        onChange={setValue}
        tabs={[
          { id: 'chat', label: 'Chat', content: 'the chat' },
          { id: 'json', label: 'JSON', content: 'the JSON', disabled: true },
          { id: 'raw', label: 'Raw', content: 'the raw text' },
        ]}
      />
    )
  }

  it('mount only the selected panel', async () => {
    render(<Example />)
    expect(screen.getByRole('tabpanel').textContent).toBe('the chat')
    await userEvent.click(screen.getByRole('tab', { name: 'Raw' }))
    expect(screen.getByRole('tabpanel').textContent).toBe('the raw text')
  })

  it('are selected by arrow keys, without the disabled ones', async () => {
    render(<Example />)
    screen.getByRole('tab', { name: 'Chat' }).focus()
    await userEvent.keyboard('{ArrowRight}')
    expect(screen.getByRole('tab', { name: 'Raw' }).getAttribute('aria-selected')).toBe('true')
  })
})

describe('a segmented control', () => {
  it('reports another choice, but not a second click on the current one', async () => {
    const onChange = vi.fn()
    const options = [
      { value: 'json', label: 'JSON' },
      { value: 'csv', label: 'CSV' },
    ]
    render(<Segmented label="Format" value="json" onChange={onChange} options={options} />)
    await userEvent.click(screen.getByText('JSON'))
    expect(onChange).not.toHaveBeenCalled()
    await userEvent.click(screen.getByText('CSV'))
    expect(onChange).toHaveBeenCalledExactlyOnceWith('csv')
  })

  it('is one stop of Tab, and arrows move between its options without choosing', async () => {
    const onChange = vi.fn()
    const options = ['a', 'b', 'c'].map((value) => ({ value, label: value }))
    render(<Segmented label="Letter" value="b" onChange={onChange} options={options} />)
    const focused = () => document.activeElement?.textContent
    await userEvent.tab()
    expect(focused()).toBe('b')
    await userEvent.keyboard('{ArrowRight}{ArrowRight}')
    expect(focused()).toBe('a')
    await userEvent.keyboard('{ArrowUp}')
    expect(focused()).toBe('c')
    expect(onChange).not.toHaveBeenCalled()
    await userEvent.keyboard(' ')
    expect(onChange).toHaveBeenCalledExactlyOnceWith('c')
  })
})

describe('a copy button', () => {
  it('copies the text and confirms it', async () => {
    const user = userEvent.setup()
    render(<CopyButton text={() => 'npm start'} label="Copy command" />)
    await user.click(screen.getByRole('button', { name: 'Copy command' }))
    expect(await navigator.clipboard.readText()).toBe('npm start')
    expect(screen.getByRole('button', { name: 'Copied' })).toBeDefined()
  })
})

describe('snippet tabs', () => {
  it('start with the first language and show one at a time', async () => {
    const snippets = [
      { label: 'Python', text: 'import langsmith' },
      { label: 'curl', text: 'curl -sS' },
    ]
    render(<SnippetTabs snippets={snippets} />)
    expect(screen.getByRole('region', { name: 'Python' }).textContent).toBe('import langsmith')
    await userEvent.click(screen.getByRole('tab', { name: 'curl' }))
    expect(screen.getByRole('region', { name: 'curl' }).textContent).toBe('curl -sS')
    expect(screen.queryByText('import langsmith')).toBeNull()
  })

  it('have valid ids, whatever their labels', () => {
    render(<SnippetTabs snippets={[{ label: 'macOS, Linux', text: 'export A=1' }]} title="Environment" />)
    expect(screen.getByRole('tab', { name: 'macOS, Linux' }).getAttribute('aria-controls')).toMatch(/^\S+$/)
    expect(screen.getByRole('region', { name: 'Environment' }).textContent).toBe('export A=1')
  })
})

describe('a menu', () => {
  const renderMenu = () => {
    const [onRename, onDelete, onPin] = [vi.fn(), vi.fn(), vi.fn()]
    render(
      <Menu trigger={<Button>More</Button>}>
        <MenuItem onSelect={onRename}>Rename</MenuItem>
        <MenuItem onSelect={onDelete} disabled>
          Delete
        </MenuItem>
        <MenuCheck checked={false} onChange={onPin}>
          Pin
        </MenuCheck>
      </Menu>,
    )
    return { onRename, onDelete, onPin }
  }

  it('announces that its trigger opens a menu', () => {
    renderMenu()
    const trigger = screen.getByRole('button', { name: 'More' })
    expect(trigger.getAttribute('aria-haspopup')).toBe('menu')
    expect(trigger.getAttribute('aria-expanded')).toBe('false')
  })

  it('opens by keyboard, runs an item by Enter and closes', async () => {
    const { onRename } = renderMenu()
    screen.getByRole('button', { name: 'More' }).focus()
    await userEvent.keyboard('{Enter}')
    ;(await screen.findByRole('menuitem', { name: 'Rename' })).focus()
    await userEvent.keyboard('{Enter}')
    expect(onRename).toHaveBeenCalledOnce()
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
  })

  it('does not run disabled items', async () => {
    const { onDelete } = renderMenu()
    await userEvent.click(screen.getByRole('button', { name: 'More' }))
    const item = await screen.findByRole('menuitem', { name: 'Delete' })
    expect(item.getAttribute('aria-disabled')).toBe('true')
    item.click()
    expect(onDelete).not.toHaveBeenCalled()
  })

  it('stays open after a checkbox was toggled', async () => {
    const { onPin } = renderMenu()
    await userEvent.click(screen.getByRole('button', { name: 'More' }))
    ;(await screen.findByRole('menuitemcheckbox', { name: 'Pin' })).click()
    expect(onPin).toHaveBeenCalledExactlyOnceWith(true)
    expect(screen.getByRole('menu')).toBeDefined()
  })
})

describe('a popover', () => {
  it('opens by its trigger, is named, and closes by Esc', async () => {
    render(
      <Popover label="Columns" trigger={<Button>Columns</Button>}>
        <input aria-label="Search" />
      </Popover>,
    )
    await userEvent.click(screen.getByRole('button', { name: 'Columns' }))
    expect(await screen.findByRole('dialog', { name: 'Columns' })).toBeDefined()
    await userEvent.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })
})

describe('the time range menu', () => {
  // Its code is loaded when it opens.
  beforeAll(() => Promise.all([import('./popover-layer.tsx'), import('./time-range-form.tsx')]))

  function renderMenu(value = '7d') {
    const onChange = vi.fn()
    function Example() {
      const [open, setOpen] = useState(true)
      return <TimeRangeMenu value={value} onChange={onChange} open={open} onOpenChange={setOpen} />
    }
    render(<Example />)
    return onChange
  }

  it('marks the current preset and applies another one', async () => {
    const onChange = renderMenu()
    const current = await screen.findByRole('button', { name: 'Last 7 days', current: true })
    expect(current).toBeDefined()
    await userEvent.click(screen.getByRole('button', { name: 'Last hour' }))
    expect(onChange).toHaveBeenCalledExactlyOnceWith('1h')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('reads a range that is typed as text', async () => {
    const onChange = renderMenu()
    const input = await screen.findByLabelText('Time range as text')
    await userEvent.type(input, 'last 3 d')
    expect(describedBy(input)).toContain('Last 3 days')
    await userEvent.keyboard('{Enter}')
    expect(onChange).toHaveBeenCalledExactlyOnceWith('3d')
  })

  it('does not apply text that is not a time range', async () => {
    const onChange = renderMenu()
    const input = await screen.findByLabelText('Time range as text')
    await userEvent.type(input, 'soon{Enter}')
    expect(describedBy(input)).toBe('Not a valid time range')
    expect(onChange).not.toHaveBeenCalled()
  })

  it('does not apply a custom range without a start and an end', async () => {
    renderMenu()
    expect(await screen.findByRole('button', { name: 'Apply' })).toHaveProperty('disabled', false)
    await userEvent.clear(screen.getByLabelText('From'))
    expect(screen.getByRole('button', { name: 'Apply' })).toHaveProperty('disabled', true)
  })
})
