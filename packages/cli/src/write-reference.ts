import { writeFileSync } from 'node:fs'
import { formatReferencePage } from './help.ts'

writeFileSync(new URL('../../../docs/reference/cli.md', import.meta.url), await formatReferencePage())
