import { describe, expect, it } from 'vitest'
import { readDocuments } from './read-documents.ts'

describe('reading retriever documents', () => {
  it('reads LangChain, LlamaIndex and plain lists', () => {
    const metadata = { source: 'guide.md', score: 0.8 }
    const expected = [{ text: 'A text.', score: 0.8, source: 'guide.md', metadata }]
    expect(readDocuments({ documents: [{ page_content: 'A text.', type: 'Document', metadata }] })).toEqual(expected)
    const source = { source: 'guide.md' }
    expect(readDocuments({ nodes: [{ node: { text: 'A text.', metadata: source }, score: 0.8 }] })).toEqual([
      { text: 'A text.', score: 0.8, source: 'guide.md', metadata: source },
    ])
    expect(readDocuments([{ content: 'A text.', title: 'Guide' }])).toEqual([
      { text: 'A text.', score: undefined, source: 'Guide', metadata: {} },
    ])
  })

  it('ignores outputs that are not documents', () => {
    expect(readDocuments({ documents: [] })).toBeUndefined()
    expect(readDocuments({ documents: [{ page_content: 'A' }, 'B'] })).toBeUndefined()
    expect(readDocuments({ answer: 'A' })).toBeUndefined()
    expect(readDocuments(null)).toBeUndefined()
  })
})
