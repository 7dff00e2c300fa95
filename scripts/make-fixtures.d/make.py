from pathlib import Path
import os, sys
sys.setrecursionlimit(100000)
from binary import Binary
from chains import *
from faults import FAULTS
from systems import PARKED
TOP=Path(os.environ['TOP']); WORK=Path(os.environ['WORK'])
for v,b in (('1.0',101),('1.1',112),('1.2',120)):
    ims={n: Binary(str(WORK/str(b)/n), str(TOP/'symbols'/f'{v}-{b}'/bun/'Contents/Resources/DWARF'/n)) for n,bun in (('Lumen','Lumen.app.dSYM'),('LumenKit','LumenKit.framework.dSYM'))}
    s=Solver(ims); s.lines=marked_lines(TOP/'fixtures/app')
    for f in FAULTS:
        if b not in f.builds: continue
        for c in ([f.chain] if f.chain else [x[1] for x in f.samples]):
            try:
                r=s.solve(c,f.id)
                print(b,f.id,' '.join('%s:%s'%(l, ','.join(hex(x) for x in y[:3])+'(%d)'%len(y) if isinstance(y,list) else '') for l,y,e in r if l in 'LK'))
            except Impossible as e: print(b,'IMPOSSIBLE',e)
