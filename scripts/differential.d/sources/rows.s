# Hand-written instructions: a line table and symbols, but no functions in the debug information.
        .text
        .globl  first_by_hand
        .type   first_by_hand, @function
first_by_hand:
        xorl    %eax, %eax
        addl    %edi, %eax
inner_label:
        decl    %edi
        jnz     inner_label
        ret
        .size   first_by_hand, .-first_by_hand
        .p2align 5, 0x90
second_by_hand:
        movl    %edi, %eax
        ret
        .globl  third_by_hand
third_by_hand:
        leal    1(%rdi), %eax
        jmp     second_by_hand
