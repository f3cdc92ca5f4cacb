import { compilePackage } from '../../../scripts/steps/compile-package.mjs'

process.exit(compilePackage('formats'))
