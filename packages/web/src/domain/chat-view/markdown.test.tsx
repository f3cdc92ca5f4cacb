// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import Markdown from './markdown.tsx'

afterEach(cleanup)

/** Elements with a direction, in document order. */
function readDirections(source: string): string[] {
  const { container } = render(<Markdown source={source} />)
  return [...container.querySelectorAll('[dir]')].map((node) => `${node.localName} ${node.getAttribute('dir')}`)
}

describe('the direction of Markdown', () => {
  it('is found for each paragraph and heading', () => {
    expect(readDirections('# שלום\n\nمرحبا\n\nHello')).toEqual(['p auto', 'p auto', 'p auto'])
  })

  it('is the same for all items of a list, also with paragraphs in them', () => {
    expect(readDirections('- واحد\n\n- اثنان')).toEqual(['ul auto'])
  })

  it('is found for each cell of a table', () => {
    expect(readDirections('| a | ب |\n| - | - |\n| 1 | ج |')).toEqual(['th auto', 'th auto', 'td auto', 'td auto'])
  })

  it('is left to right for code', () => {
    expect(readDirections('שלום `x = 1`\n\n```\ny = 2\n```')).toEqual(['p auto', 'code ltr', 'pre ltr', 'code ltr'])
  })
})
