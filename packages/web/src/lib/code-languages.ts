/** Languages that code is colored in. */
export const CODE_LANGUAGES = [
  'python',
  'javascript',
  'typescript',
  'json',
  'shell',
  'powershell',
  'properties',
  'sql',
  'yaml',
  'xml',
  'css',
  'go',
  'rust',
  'java',
  'csharp',
  'c',
  'cpp',
  'ruby',
  'toml',
  'diff',
] as const
export type CodeLanguage = (typeof CODE_LANGUAGES)[number]

const ALIASES: ReadonlyMap<string, CodeLanguage> = new Map([
  ...CODE_LANGUAGES.map((name) => [name, name] as const),
  ['py', 'python'],
  ['js', 'javascript'],
  ['jsx', 'javascript'],
  ['mjs', 'javascript'],
  ['ts', 'typescript'],
  ['tsx', 'typescript'],
  ['jsonc', 'json'],
  ['sh', 'shell'],
  ['bash', 'shell'],
  ['zsh', 'shell'],
  ['console', 'shell'],
  ['ps1', 'powershell'],
  ['env', 'properties'],
  ['ini', 'properties'],
  ['yml', 'yaml'],
  ['html', 'xml'],
  ['svg', 'xml'],
  ['golang', 'go'],
  ['rs', 'rust'],
  ['cs', 'csharp'],
  ['c++', 'cpp'],
  ['rb', 'ruby'],
  ['patch', 'diff'],
])

/** The language of a code block by the name after its fence, for example `py`. */
export function findLanguage(name: string): CodeLanguage | undefined {
  return ALIASES.get(name.toLowerCase())
}
